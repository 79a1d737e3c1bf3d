#error                                                                         \
    "ipumodel has no ROI align: <popnn/experimental/ROIAlign.hpp> is not implemented"
